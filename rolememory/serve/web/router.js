// Addresses of views, and the roles that they are about.
import { all } from "./api.js";
import { fail, kept, store } from "./live.js";

export const roles = store(null); // every role, or null until they are known
export const role = kept("role", ""); // the one last looked at

/** The address of a view. */
export function address(path, ...parts) {
  return `#/${[path, ...parts].map(encodeURIComponent).join("/")}`;
}
export const go = (path, ...parts) => { location.hash = address(path, ...parts); };

/** Look at all roles anew. */
export async function reload() {
  try { roles.set(await all("/roles")); } catch (error) { fail(error, reload); if (!roles.get()) roles.set([]); }
}
