import { defineProtocol } from '../../../../endpoint/protocol.ts'
import { XKS_ACCESS_LOG } from './access-log.ts'
import { xksAuditLine } from './audit-line.ts'
import { xksStrayCalls } from './stray-calls.ts'

/** External key stores of cloud-a: the cloud's key service calls a proxy for each use of a key. */
export const xks = defineProtocol({
  name: 'xks',
  title: 'external key stores of cloud-a',
  described: async () => (await import('./described.ts')).xksDescribed,
  dataPlane: 'xks',
  dataPlaneHttp: {
    prefixes: ['/api/v1/keymgr/cloud-a/xks-proxy-endpoints'],
    timeoutSeconds: 3,
    budgetMs: XKS_ACCESS_LOG.levels.limitMs,
  },
  auditLine: xksAuditLine,
  strayCalls: xksStrayCalls,
  levels: async () => (await import('./levels.ts')).xksLevels,
  inspect: async () => (await import('./inspect.ts')).envelopes,
  blockable: () => Promise.resolve([]), // its key stores are its cloud's
  keepUses: async () => (await import('./credential-uses.ts')).keepCredentialUses,
  settings: {
    KEYMGR_XKS_CALLS_PER_SECOND: 'is how many calls a cloud may make to an external key store (1800).',
    KEYMGR_XKS_TRUST_ANCHORS:
      "is PEM, or a file of it: issuers of the cloud's certificates for stores with mutual TLS.",
  },
})
