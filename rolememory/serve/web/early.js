// Before the first paint: the chosen theme and language, so that nothing flashes.
(() => {
  const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const language = kept("rolememory.language") || navigator.language || "en";
  document.documentElement.lang = language.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
  const theme = kept("rolememory.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
