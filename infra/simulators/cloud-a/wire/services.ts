import type { Operations } from './call.ts'
import { authenticateByCertificate } from '../authentication/certificate-authentication.ts'
import { accountOperations, cloudhsmOperations, iamOperations, logsOperations } from '../accounts/directory.ts'
import { aliasOperations } from '../keys/aliases.ts'
import { cryptographyOperations } from '../keys/cryptography.ts'
import { grantOperations } from '../grants/operations.ts'
import { importOperations } from '../keys/import.ts'
import { keyStoreOperations } from '../key-stores/operations.ts'
import { logEventOperations } from '../logs/log-events.ts'
import { keyOperations } from '../keys/operations.ts'
import { multiRegionOperations } from '../keys/multi-region.ts'
import { rotationOperations } from '../keys/rotation.ts'
import { signatureOperations } from '../keys/signatures.ts'
import { tagOperations } from '../keys/tags.ts'
import { jsonProtocol, queryProtocol, restProtocol, type Protocol } from './protocols.ts'
import { rolesAnywhereOperations } from '../authentication/roles-anywhere.ts'
import { stsOperations } from '../authentication/sts.ts'

/** One service of the cloud. Its name is also the signing name of its requests. */
export interface Service {
  readonly name: string
  readonly operations: Operations
  readonly protocol: Protocol
  /** Instead of authentication by access keys. */
  readonly authenticate?: typeof authenticateByCertificate
}

const KMS: Service = {
  name: 'kms',
  operations: {
    ...keyOperations,
    ...aliasOperations,
    ...tagOperations,
    ...importOperations,
    ...rotationOperations,
    ...multiRegionOperations,
    ...cryptographyOperations,
    ...signatureOperations,
    ...grantOperations,
    ...keyStoreOperations,
  },
  protocol: jsonProtocol({ InternalFailure: { code: 'KMSInternalException', status: 500 } }),
}

const LOGS: Service = {
  name: 'logs',
  operations: { ...logsOperations, ...logEventOperations },
  protocol: jsonProtocol({
    InternalFailure: { code: 'ServiceUnavailableException', status: 500 },
    ValidationException: { code: 'InvalidParameterException', status: 400 },
    InvalidMarkerException: { code: 'InvalidParameterException', status: 400 },
  }),
}

const CLOUDHSM: Service = {
  name: 'cloudhsm',
  operations: cloudhsmOperations,
  protocol: jsonProtocol({
    AccessDeniedException: { code: 'CloudHsmAccessDeniedException', status: 400 },
    InternalFailure: { code: 'CloudHsmInternalFailureException', status: 500 },
    InvalidMarkerException: { code: 'CloudHsmInvalidRequestException', status: 400 },
    ValidationException: { code: 'CloudHsmInvalidRequestException', status: 400 },
  }),
}

const STS: Service = {
  name: 'sts',
  operations: stsOperations,
  protocol: queryProtocol('https://sts.amazonaws.com/doc/2011-06-15/'),
}

const IAM: Service = {
  name: 'iam',
  operations: iamOperations,
  protocol: queryProtocol('https://iam.amazonaws.com/doc/2010-05-08/'),
}

const ACCOUNT: Service = { name: 'account', operations: accountOperations, protocol: restProtocol() }

const ROLES_ANYWHERE: Service = {
  name: 'rolesanywhere',
  operations: rolesAnywhereOperations,
  protocol: restProtocol(201),
  authenticate: authenticateByCertificate,
}

/** Services by the prefix of `x-amz-target`. */
export const BY_TARGET: ReadonlyMap<string, Service> = new Map([
  ['TrentService', KMS],
  ['Logs_20140328', LOGS],
  ['BaldrApiService', CLOUDHSM],
])

/** Services by the `Version` of a form. */
export const BY_VERSION: ReadonlyMap<string, Service> = new Map([
  ['2011-06-15', STS],
  ['2010-05-08', IAM],
])

/** Services by path. */
export const BY_PATH: ReadonlyMap<string, { service: Service; operation: string }> = new Map([
  ['/listRegions', { service: ACCOUNT, operation: 'ListRegions' }],
  ['/sessions', { service: ROLES_ANYWHERE, operation: 'CreateSession' }],
])
