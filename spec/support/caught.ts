/** What `action` throws, which must be an error of this class. */
export function caught<E extends Error>(action: () => unknown, type: new (...args: never[]) => E): E {
  try {
    action();
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
  throw new Error(`no ${type.name} was thrown`);
}
