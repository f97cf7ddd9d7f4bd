/**
 * Paths of the description that are directly below the host, not below `/api`. Calls there have other tokens, or none.
 */
export const isAtRoot = (path: string): boolean => /^\/(platform|\.well-known)\//.test(path)

/**
 * Whether a path value is empty, a dot segment, or has a `?`, at which gateways cut the decoded path: the call would reach another
 * resource or operation.
 */
export const isNoSegment = (value: unknown): boolean =>
  ['', '.', '..'].includes(String(value)) || String(value).includes('?')
