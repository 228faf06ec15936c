// What of the server's environment a command may see. A list of what passes: a secret that nobody thought of stays here.

const PASSED = ["PATH", "HOME", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TZ"];
const PATH_WITHOUT_ONE = "/usr/local/bin:/usr/bin:/bin";

/** `own` are the HOLDFAST_ variables of the run; others of that name never pass. */
export function childEnvironment(
  server: NodeJS.ProcessEnv,
  passEnv: readonly string[],
  own: Readonly<Record<`HOLDFAST_${string}`, string>>,
): Record<string, string> {
  const passed = (name: string) => PASSED.includes(name) || name.startsWith("LC_") || passEnv.includes(name);
  const env: Record<string, string> = { PATH: PATH_WITHOUT_ONE };
  for (const [name, value] of Object.entries(server))
    if (value !== undefined && passed(name) && !name.startsWith("HOLDFAST_")) env[name] = value;
  return { ...env, ...own };
}
