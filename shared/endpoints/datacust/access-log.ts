/** Access log of the data plane. */
export const DATACUST_ACCESS_LOG = {
  message: 'external key store request of datacust',
  fields: {
    keystore: 'text',
    /** id of the version that was used, or would have been used */
    keyVersion: 'text',
    /** fingerprint of the presented certificate */
    certificate: 'text',
    tenant: 'text',
    requestId: 'text',
    group: 'text',
    userType: 'text',
    /** the check that refused */
    rule: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
  callers: ['tenant'],
  levels: {
    endpoint: 'keystore',
    limitMs: 1_000, // Ours: the platform states none
    objective: 0.999, // Ours
  },
} as const
