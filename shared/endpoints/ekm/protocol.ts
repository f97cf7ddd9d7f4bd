import { defineProtocol } from '../../serving/protocol.ts'
import { ekmAuditLine } from './audit-line.ts'

/** External key manager of cloud-c: the cloud wraps and signs with a key that stays here. */
export const ekm = defineProtocol({ name: 'ekm', dataPlane: 'ekm-data', auditLine: ekmAuditLine })
