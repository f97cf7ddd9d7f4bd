import type { Route } from '../../../http/operation.ts'
import { routesOn } from '../../../resource/routes.ts'
import { itemRoutes, removingRecord } from '../items/item-routes.ts'
import {
  CERTIFICATE_ACTIONS,
  certificateKind,
  createCertificate,
  getCertificate,
  importCertificate,
  listCertificates,
  updateCertificate,
} from './certificates.ts'
import {
  CloudBCertificate,
  CloudBCertificateQuery,
  CreateCloudBCertificate,
  ImportCloudBCertificate,
  UpdateCloudBCertificate,
} from './model.ts'

const at = '/v1/keymgr/cloud-b/certificates'
const on = routesOn({ at, answers: CloudBCertificate, reads: 'keymgr-users', changes: 'keymgr-users' })

/** Certificates, every version a resource. Each has a key and a secret of the same name, which are deleted with it. */
export const certificateRoutes: readonly Route[] = [
  on.list('List Cloud-b Certificates', CloudBCertificateQuery, listCertificates),
  on.create('Create Cloud-b Certificate', CreateCloudBCertificate, createCertificate),
  on.create('Import Cloud-b Certificate', ImportCloudBCertificate, importCertificate, `${at}/import`),
  on.get('Get Cloud-b Certificate', getCertificate),
  on.update('Update Cloud-b Certificate', UpdateCloudBCertificate, updateCertificate),
  on.remove('Remove Cloud-b Certificate', removingRecord(certificateKind)),
  ...itemRoutes(on, 'Certificate', CERTIFICATE_ACTIONS),
]
