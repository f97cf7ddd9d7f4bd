import { defineProtocol } from '../../endpoint/protocol.ts'
import { KACLS_ACCESS_LOG } from './access-log.ts'
import { kaclsAuditLine } from './audit-line.ts'
import { ALIASES, CALLS } from './calls.ts'
import { DATA_PLANE } from './identifiers.ts'

/** Workspace client-side encryption: keys of documents, calls and mail are wrapped with a key that stays here. */
export const kacls = defineProtocol({
  name: 'kacls',
  title: 'client-side encryption of the workspace suite',
  described: async () => (await import('./described.ts')).kaclsDescribed,
  dataPlane: 'kacls',
  dataPlaneHttp: {
    prefixes: [],
    // Management has the same prefix. A call is a segment of its own, so each call has a route.
    calls: [...Object.keys(CALLS), ...Object.keys(ALIASES)].map((call) => `ANY ${DATA_PLANE}{id}/${call}` as const),
    timeoutSeconds: 15, // a migrated key is read from another service
    budgetMs: KACLS_ACCESS_LOG.levels.limitMs,
  },
  management: { group: 'workspace-cse', prefixes: ['/api/v1/keymgr/WorkspaceCSE'] },
  auditLine: kaclsAuditLine,
  settings: {
    KEYMGR_KACLS_LOOPBACK:
      'lets identity providers and other services of KACLS endpoints be on loopback, over http too, when it is "allowed".',
    KEYMGR_KACLS_CALLS_PER_SECOND: 'is how many calls one user may make to a KACLS endpoint (200).',
  },
  levels: async () => (await import('./levels.ts')).kaclsLevels,
  inspect: async () => (await import('./inspect.ts')).wrappedKeys,
  blockable: async () => (await import('./key-user.ts')).kaclsBlockable,
  keyUser: async () => (await import('./key-user.ts')).kaclsKeyUser,
  sealed: { 'kacls-endpoint': async () => (await import('./store.ts')).sealedKaclsEndpoints },
  purge: async () => (await import('./key-user.ts')).kaclsPurge,
})
