import { defineProtocol } from '../../../endpoint/protocol.ts'
import { CRM_ACCESS_LOG } from './access-log.ts'
import { crmAuditLine } from './audit-line.ts'

/** Key endpoints: the cloud fetches the cache-only keys of an organization. */
export const crmKeys = defineProtocol({
  name: 'crm-keys',
  title: 'cache-only keys of crm',
  described: async () => (await import('./described.ts')).crmDescribed,
  dataPlane: 'crm-keys',
  dataPlaneHttp: {
    prefixes: ['/v1/keymgr/crm/endpoints'],
    calls: ['ANY /api/v1/keymgr/crm/endpoints/{id}/keys/{kid+}'], // a second slash may precede the kid
    timeoutSeconds: 5,
    budgetMs: CRM_ACCESS_LOG.levels.limitMs,
  },
  auditLine: crmAuditLine,
  levels: async () => (await import('./levels.ts')).crmLevels,
  inspect: async () => (await import('./inspect.ts')).fetchedKeys,
  blockable: () => Promise.resolve([]), // its endpoints are its cloud's
})
