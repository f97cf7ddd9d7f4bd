import { defineProtocol } from '../../../../endpoint/protocol.ts'
import { EXTERNAL_ACCESS_LOG } from './access-log.ts'
import { externalAuditLine } from './audit-line.ts'

/** External vaults of cloud-d: the cloud's key service calls this service for each use of a key. */
export const externalVaults = defineProtocol({
  name: 'external-vaults',
  title: 'external vaults of cloud-d',
  described: async () => (await import('./described.ts')).externalVaultsDescribed,
  dataPlane: 'external-vaults',
  dataPlaneHttp: {
    prefixes: ['/api/v1/keymgr/cloud-d/ekm'],
    timeoutSeconds: 5,
    budgetMs: EXTERNAL_ACCESS_LOG.levels.limitMs,
  },
  auditLine: externalAuditLine,
  levels: async () => (await import('./levels.ts')).externalLevels,
  inspect: async () => (await import('./inspect.ts')).externalCiphertexts,
  blockable: () => Promise.resolve([]), // its vaults are containers of its cloud
  keepUses: async () => (await import('./links.ts')).keepLinks,
  settings: {
    KEYMGR_EXTERNAL_VAULT_CALLS_PER_SECOND: 'is how many calls the cloud may make to an external vault (500).',
  },
})
