// Loaded ahead of everything else, so that a theme chosen on this device is there with the first paint. web/theme.ts,
// which knows all about it, comes too late for that.
document.documentElement.dataset.theme = localStorage.getItem("holdfast:theme") ?? "system";
