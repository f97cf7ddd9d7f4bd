/**
 * How users of a connection log in. A separate file, so that a start of the log-in function loads nothing else of
 * connections.
 */
export const STRATEGIES = ['ldap', 'oidc'] as const
export type Strategy = (typeof STRATEGIES)[number]
