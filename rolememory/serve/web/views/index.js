// The views, in the order of the navigation. One line each:
//   path   first part of the address, #/path/{role}/rest...; also the name of its words, i18n/<path>.{zh,en}.json
//   label  its name in both languages
//   role   true: it is about one role, whose id comes as a prop
//   hidden true: reachable by links only
//   load   brings the module; its default export is the component ({ role, rest, query }) => html`...`
export const views = [
  { path: "welcome", label: { en: "Start", zh: "开始" }, load: () => import("./welcome.js") },
  { path: "garden", label: { en: "Garden", zh: "花园" }, role: true, load: () => import("./garden.js") },
  { path: "list", label: { en: "Memories", zh: "记忆" }, role: true, load: () => import("./list.js") },
  { path: "memory", label: { en: "Memory", zh: "记忆卡" }, role: true, hidden: true, load: () => import("./memory.js") },
  { path: "playground", label: { en: "Try out", zh: "试一试" }, role: true, load: () => import("./playground.js") },
  { path: "chats", label: { en: "Chats", zh: "会话" }, role: true, load: () => import("./chats.js") },
  { path: "review", label: { en: "Review", zh: "审阅" }, role: true, load: () => import("./review.js") },
  { path: "users", label: { en: "People", zh: "人物" }, role: true, load: () => import("./users.js") },
  { path: "lore", label: { en: "Lorebooks", zh: "世界书" }, role: true, load: () => import("./lore.js") },
  { path: "insight", label: { en: "Figures", zh: "统计" }, role: true, load: () => import("./insight.js") },
  { path: "settings", label: { en: "Settings", zh: "设置" }, load: () => import("./settings.js") },
];
