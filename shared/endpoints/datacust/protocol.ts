import { defineProtocol } from '../../endpoint/protocol.ts'
import { DATACUST_ACCESS_LOG } from './access-log.ts'
import { datacustAuditLine } from './audit-line.ts'
import { NAME } from './identifiers.ts'

/** External key stores of datacust: the platform uses keys that stay here. */
export const datacust = defineProtocol({
  name: 'datacust-ekm',
  title: 'external key stores of datacust',
  described: async () => (await import('./described.ts')).datacustDescribed,
  dataPlane: 'datacust-data',
  dataPlaneHttp: {
    prefixes: ['/api/v1/keymgr/datacust/hyok'],
    timeoutSeconds: 5,
    budgetMs: DATACUST_ACCESS_LOG.levels.limitMs,
  },
  management: { group: 'datacust-ekm', prefixes: ['/api/v1/keymgr/datacust/ekm'] },
  auditLine: datacustAuditLine,
  settings: {
    KEYMGR_DATACUST_CALLS_PER_SECOND: 'is how many calls a platform may make to an external key store (500).',
    KEYMGR_DATACUST_KEYSTORE_PATH:
      "is the path in front of key stores' ids, with both slashes, if a proxy maps another one to the data plane.",
  },
  levels: async () => (await import('./levels.ts')).datacustLevels,
  inspect: async () => (await import('./inspect.ts')).keystoreCiphertexts,
  blockable: async () => (await import('./key-user.ts')).datacustBlockable,
  keyUser: async () => (await import('./key-user.ts')).externalKeyUser,
  aclHolders: async () => (await import('./key-user.ts')).keystoreAcls,
  rotatedWith: NAME,
  rotate: async () => (await import('./rotated.ts')).externalKeysRotated,
  purge: async () => (await import('./key-user.ts')).datacustPurge,
})
