/** How users of a connection log in. In a file of its own: a start of the function that logs people in loads no more of them. */
export const STRATEGIES = ['ldap', 'oidc'] as const
export type Strategy = (typeof STRATEGIES)[number]
