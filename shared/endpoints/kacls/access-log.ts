/** Access log of the data plane. */
export const KACLS_ACCESS_LOG = {
  message: 'Workspace key service request',
  fields: {
    endpoint: 'text',
    /** number of the key version that was used */
    version: 'integer',
    /** issuer of the token that says who calls */
    issuer: 'text',
    email: 'text',
    /** the user's Workspace address, where it differs */
    workspaceEmail: 'text',
    /** issuer of the token that says what the caller may do */
    authorizationIssuer: 'text',
    authorizationEmail: 'text',
    role: 'text',
    emailType: 'text',
    delegatedTo: 'text',
    ownerDomain: 'text',
    resource: 'text',
    perimeter: 'text',
    messageId: 'text',
    /** of the access, as the client gives it */
    reason: 'text',
    /** hash of the perimeter that was evaluated; `default` for the usual one */
    policy: 'text',
    /** the rule that decided: of the perimeter, or a check before it */
    rule: 'text',
    /** code of a perimeter's failure */
    policyError: 'text',
    /** another service that took part */
    peer: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
} as const
