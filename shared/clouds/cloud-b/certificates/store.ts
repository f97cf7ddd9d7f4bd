import { itemEntity } from '../items/item-entity.ts'
import { StoredCloudBCertificate } from './model.ts'

export const cloudBCertificates = itemEntity('cloud-b-certificate', StoredCloudBCertificate, 'cert_name')
export type CloudBCertificateRow = ReturnType<typeof cloudBCertificates.row>
