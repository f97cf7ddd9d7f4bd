import { defineProtocol } from '../../serving/protocol.ts'
import { ekmAuditLine } from './audit-line.ts'

/** External key manager of cloud-c: the cloud wraps and signs with a key that stays here. */
export const ekm = defineProtocol({
  name: 'ekm',
  dataPlane: 'ekm-data',
  dataPlaneHttp: {
    prefixes: ['/api/v1/keymgr/ekm/session'],
    // `<id>:wrap` is one segment: no template of the front door distinguishes it from an id. Nothing else is posted
    // there.
    calls: ['POST /api/v1/keymgr/ekm/endpoints/{key}', 'POST /api/v1/keymgr/ekm/cryptospaces/{key}'],
    timeoutSeconds: 5,
  },
  management: { group: 'ekm', prefixes: ['/api/v1/keymgr/ekm'] },
  auditLine: ekmAuditLine,
  keyUser: async () => (await import('./key-user.ts')).ekmKeyUser,
  purge: async () => (await import('./key-user.ts')).ekmPurge,
})
