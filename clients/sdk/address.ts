/** Paths of the description that are below the host itself, not below `/api`. Calls there have tokens of their own, or none. */
export const isAtRoot = (path: string): boolean => /^\/(platform|\.well-known)\//.test(path)

/** Whether a path value is empty or steps within the address: the call would reach another resource or operation. */
export const isNoSegment = (value: unknown): boolean => ['', '.', '..'].includes(String(value))
