/** Access log of the data plane. */
export const EXTERNAL_ACCESS_LOG = {
  message: 'external vault request',
  fields: {
    vault: 'text',
    /** id of the external key, once it is known to exist */
    externalKey: 'text',
    /** id of the version that was used, or would have been used */
    keyVersion: 'text',
    /** client of the issuer that called */
    client: 'text',
    /** the cloud's own id of the request */
    opcRequestId: 'text',
    /** hash of the policy that was evaluated last */
    policy: 'text',
    /** what decided: a rule of the policy, or a setting checked before it */
    rule: 'text',
    /** code of a policy's failure */
    policyError: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
  callers: ['client'],
  levels: {
    endpoint: 'vault',
    limitMs: 1_000, // Ours: the cloud states none
    objective: 0.999, // Ours
  },
} as const
