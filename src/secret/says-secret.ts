/** Whether what has this name (a variable, an option, a parameter) is secret by it. */
export function saysSecret(name: string): boolean {
  return /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?)$/i.test(name);
}
