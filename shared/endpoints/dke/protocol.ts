import { defineProtocol } from '../../endpoint/protocol.ts'
import { DKE_ACCESS_LOG } from './access-log.ts'
import { dkeAuditLine } from './audit-line.ts'

/** Double key encryption: documents of the document suite are additionally encrypted with a key that stays here. */
export const dke = defineProtocol({
  name: 'dke',
  title: 'double key encryption of the document suite',
  described: async () => (await import('./described.ts')).dkeDescribed,
  dataPlane: 'dke-data',
  dataPlaneHttp: {
    prefixes: ['/api/v1/keymgr/docsuite/dke-data-plane'],
    timeoutSeconds: 5,
    budgetMs: DKE_ACCESS_LOG.levels.limitMs,
  },
  management: { group: 'dke', prefixes: ['/api/v1/keymgr/docsuite/dke'] },
  auditLine: dkeAuditLine,
  settings: {
    KEYMGR_DKE_DIRECTORY: "is the address of the directory of the document suite's tenants.",
    KEYMGR_DKE_AUTHORITY: 'is where clients of DKE endpoints ask people to log in.',
    KEYMGR_DKE_CALLS_PER_SECOND: 'is how many calls one person may make to a DKE endpoint (100).',
  },
  levels: async () => (await import('./levels.ts')).dkeLevels,
  inspect: async () => (await import('./inspect.ts')).documentKeys,
  blockable: async () => (await import('./key-user.ts')).dkeBlockable,
  keyUser: async () => (await import('./key-user.ts')).dkeKeyUser,
  rotatedAs: 'docsuite-dke',
  rotate: async () => (await import('./rotated.ts')).dkeRotated,
  sealed: { 'dke-tenant': async () => (await import('./tenants/store.ts')).sealedAuthTenants },
  purge: async () => (await import('./key-user.ts')).dkePurge,
})
