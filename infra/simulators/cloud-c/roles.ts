/** A role and its permissions; a final `*` matches all permissions with that prefix. */
interface RoleRow {
  readonly name: string
  readonly title: string
  readonly permits: readonly string[]
}

const VIEW_KEYS = [
  'cloudkms.keyRings.get',
  'cloudkms.keyRings.list',
  'cloudkms.keyRings.getIamPolicy',
  'cloudkms.cryptoKeys.get',
  'cloudkms.cryptoKeys.list',
  'cloudkms.cryptoKeys.getIamPolicy',
  'cloudkms.cryptoKeyVersions.get',
  'cloudkms.cryptoKeyVersions.list',
  'cloudkms.importJobs.get',
  'cloudkms.importJobs.list',
  'cloudkms.locations.get',
  'cloudkms.locations.list',
]
const SEE_PROJECT = 'resourcemanager.projects.get'

const role = (name: string, title: string, ...permits: readonly string[]): RoleRow => ({
  name: `roles/${name}`,
  title,
  permits,
})

/** In the order of lists. Published permissions, limited to the simulated operations. */
export const ROLES: readonly RoleRow[] = [
  role('browser', 'Browser', SEE_PROJECT, 'resourcemanager.folders.get'),
  role(
    'cloudkms.admin',
    'Cloud KMS Admin',
    'cloudkms.keyRings.*',
    'cloudkms.cryptoKeys.*',
    'cloudkms.cryptoKeyVersions.get',
    'cloudkms.cryptoKeyVersions.list',
    'cloudkms.cryptoKeyVersions.create',
    'cloudkms.cryptoKeyVersions.update',
    'cloudkms.cryptoKeyVersions.destroy',
    'cloudkms.cryptoKeyVersions.restore',
    'cloudkms.cryptoKeyVersions.delete',
    'cloudkms.importJobs.*',
    'cloudkms.locations.*',
    SEE_PROJECT,
  ),
  role('cloudkms.cryptoKeyDecrypter', 'Cloud KMS CryptoKey Decrypter', 'cloudkms.cryptoKeyVersions.useToDecrypt'),
  role('cloudkms.cryptoKeyEncrypter', 'Cloud KMS CryptoKey Encrypter', 'cloudkms.cryptoKeyVersions.useToEncrypt'),
  role(
    'cloudkms.cryptoKeyEncrypterDecrypter',
    'Cloud KMS CryptoKey Encrypter/Decrypter',
    'cloudkms.cryptoKeyVersions.useToDecrypt',
    'cloudkms.cryptoKeyVersions.useToEncrypt',
  ),
  role(
    'cloudkms.cryptoOperator',
    'Cloud KMS Crypto Operator',
    'cloudkms.cryptoKeyVersions.useTo*',
    'cloudkms.locations.generateRandomBytes',
    'cloudkms.cryptoKeyVersions.viewPublicKey',
  ),
  role(
    'cloudkms.expertRawAesCbc',
    'Cloud KMS Expert Raw AES-CBC Key Manager',
    'cloudkms.cryptoKeyVersions.manageRawAesCbcKeys',
  ),
  role(
    'cloudkms.expertRawAesCtr',
    'Cloud KMS Expert Raw AES-CTR Key Manager',
    'cloudkms.cryptoKeyVersions.manageRawAesCtrKeys',
  ),
  role(
    'cloudkms.importer',
    'Cloud KMS Importer',
    'cloudkms.importJobs.create',
    'cloudkms.importJobs.get',
    'cloudkms.importJobs.list',
    'cloudkms.importJobs.useToImport',
  ),
  role('cloudkms.publicKeyViewer', 'Cloud KMS CryptoKey Public Key Viewer', 'cloudkms.cryptoKeyVersions.viewPublicKey'),
  role(
    'cloudkms.signerVerifier',
    'Cloud KMS CryptoKey Signer/Verifier',
    'cloudkms.cryptoKeyVersions.useToSign',
    'cloudkms.cryptoKeyVersions.useToVerify',
    'cloudkms.cryptoKeyVersions.viewPublicKey',
  ),
  role('cloudkms.viewer', 'Cloud KMS Viewer', ...VIEW_KEYS, SEE_PROJECT),
  role('logging.privateLogViewer', 'Private Logs Viewer', 'logging.logEntries.list', 'logging.privateLogEntries.list'),
  role('logging.viewer', 'Logs Viewer', 'logging.logEntries.list'),
  role('owner', 'Owner', 'cloudkms.*', 'logging.*', 'resourcemanager.*'),
  role('resourcemanager.organizationViewer', 'Organization Viewer', 'resourcemanager.organizations.get'),
]

const BY_NAME = new Map(ROLES.map((row) => [row.name, row]))

export const isRole = (name: string): boolean => BY_NAME.has(name)

export function grants(name: string, permission: string): boolean {
  const permits = BY_NAME.get(name)?.permits ?? []
  return permits.some((each) => (each.endsWith('*') ? permission.startsWith(each.slice(0, -1)) : each === permission))
}
