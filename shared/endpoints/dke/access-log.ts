/** Access log of the data plane. */
export const DKE_ACCESS_LOG = {
  message: 'double key encryption request',
  fields: {
    endpoint: 'text',
    /** number of the requested key version */
    version: 'integer',
    /** the caller's mail address */
    email: 'text',
    /** the caller's id in its tenant */
    oid: 'text',
    /** the caller's tenant */
    tid: 'text',
    /** the setting of the endpoint that refused */
    rule: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
  callers: ['email', 'oid'],
  levels: {
    endpoint: 'endpoint',
    limitMs: 1_000, // Ours: a person waits for a document to open
    objective: 0.999, // Ours
  },
} as const
