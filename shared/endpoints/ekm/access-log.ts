/** Access log of the data plane. */
export const EKM_ACCESS_LOG = {
  message: 'external key manager request',
  fields: {
    endpoint: 'text',
    /** number of the key version that was used, or would have been used */
    version: 'integer',
    email: 'text',
    /** justification of the access */
    reason: 'text',
    resource: 'text',
    fullResource: 'text',
    healthCheck: 'flag',
    /** hash of the policy that was evaluated */
    policy: 'text',
    /** the rule that decided: a rule of the policy, or a setting of the endpoint checked before it */
    rule: 'text',
    /** code of a policy's failure */
    policyError: 'text',
    /** TLS alert that describes why the records of a session were refused, or that the client sent */
    alert: 'text',
    /** checks of a machine's evidence that failed */
    evidence: 'text',
    /** technology, instance, project and zone that a session has proved */
    technology: 'text',
    instance: 'text',
    project: 'text',
    zone: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
  callers: ['email'],
  levels: {
    endpoint: 'endpoint',
    limitMs: 150, // Ours: above it, the cloud warns of the latency of external keys
    objective: 0.999, // Ours: the cloud states none
  },
} as const
