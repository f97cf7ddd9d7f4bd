/** Access log of the data plane. */
export const EKM_ACCESS_LOG = {
  message: 'external key manager request',
  fields: {
    endpoint: 'text',
    /** number of the key's version that was used, or would have been */
    version: 'integer',
    email: 'text',
    /** justification of the access */
    reason: 'text',
    resource: 'text',
    fullResource: 'text',
    healthCheck: 'flag',
    /** hash of the policy that was evaluated */
    policy: 'text',
    /** the rule that decided: of the policy, or a setting of the endpoint that comes before it */
    rule: 'text',
    /** code of a policy's failure */
    policyError: 'text',
    /** the reason of the domain, where it refused */
    refusal: 'text',
  },
} as const
