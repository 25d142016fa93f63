// The one place that names the vendored library.
export * from "./vendor/htm-3.1.1/standalone.module.js";
export const Fragment = ({ children }) => children;
