import { ending } from '../http/danger.ts'
import { ok, operation, route, type Route } from '../http/operation.ts'
import { routesOf } from '../resource/routes.ts'
import { installCertificate, selfSign } from './authorities/activate.ts'
import { localCaResource } from './authorities/authorities.ts'
import { InstallCertificate, LocalCa, SelfSign } from './authorities/model.ts'
import { externalCaResource } from './external/external.ts'
import { LOCAL_CAS } from './identifiers.ts'
import { deleteCertificate, getCertificate, listCertificates } from './issued/certificates.ts'
import { issue } from './issued/issue.ts'
import {
  AuthorityPath,
  CertificatePath,
  IssueCertificate,
  IssuedCertificate,
  IssuedCertificateQuery,
  RevokeCertificate,
} from './issued/model.ts'
import { resumeCertificate, revokeCertificate } from './issued/revoke.ts'
import { routes as publication } from './publication/operations.ts'
import { makeCsr } from './requests/make-request.ts'
import { MadeRequest, MakeRequest } from './requests/model.ts'

const may = 'ca-admins'
/** Certificates are not secret. */
const reads = 'signed-in'
const { on } = localCaResource
const acts: readonly Route[] = [
  on.act('self-sign', 'Self-Sign Local CA', selfSign, SelfSign),
  on.act('install', 'Install Local CA', installCertificate, InstallCertificate),
]

const CERTS = `${LOCAL_CAS}/{caid}/certs`
const onCerts = routesOf({
  at: CERTS,
  one: `${CERTS}/{id}`,
  path: CertificatePath,
  idsOf: ({ caid, id }): readonly [string, string] => [caid, id],
  answers: IssuedCertificate,
  reads,
  changes: may,
})
const onAuthority = routesOf({
  at: LOCAL_CAS,
  one: `${LOCAL_CAS}/{caid}`,
  path: AuthorityPath,
  idsOf: ({ caid }): readonly [string] => [caid],
  answers: LocalCa,
  reads,
  changes: may,
})

/** Certificates that local authorities issued. */
const certificates: readonly Route[] = [
  onAuthority.listWithin('certs', 'List Certificates', IssuedCertificateQuery, IssuedCertificate, listCertificates),
  onAuthority.succeed('certs', 'Issue Certificate', IssueCertificate, issue, IssuedCertificate),
  onCerts.get('Get Certificate', getCertificate),
  ending(
    'Only a certificate that is revoked as on hold can be resumed.',
    onCerts.act('revoke', 'Revoke Certificate', revokeCertificate, RevokeCertificate),
  ),
  onCerts.act('resume', 'Resume Certificate', resumeCertificate), // ends a hold
  onCerts.remove('Delete Certificate', deleteCertificate),
]

/** POST /v1/ca/csr: creates a request and its key, and stores neither. */
const csr = operation(
  { summary: 'Make CSR', body: MakeRequest, answers: MadeRequest, may, once: true },
  async ({ body, context }) => ok(await makeCsr(context, body)),
)

export const routes: readonly Route[] = [
  ...localCaResource.routes,
  ...acts,
  ...certificates,
  ...externalCaResource.routes,
  route('POST', '/v1/ca/csr', csr),
  ...publication,
]
