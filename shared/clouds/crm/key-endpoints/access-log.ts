/** Access log of the data plane. */
export const CRM_ACCESS_LOG = {
  message: 'crm key request',
  fields: {
    endpoint: 'text',
    /** user name of the basic pair, or subject of the token */
    caller: 'text',
    /** the reason of the domain's refusal */
    refusal: 'text',
  },
  callers: ['caller'],
  levels: {
    endpoint: 'endpoint',
    limitMs: 3_000, // the cloud waits no longer
    objective: 0.999, // Ours
  },
} as const
