/**
 * Operations that do what other operations do to one record, by action: a denial of the single action denies them too.
 * The rows of bulk jobs and job configurations are derived from the work rows (`single-calls.own.test.ts`).
 */
export const SECOND_WAYS: Readonly<Record<string, readonly string[]>> = {
  AddCloudCKeyRings: ['AddCloudCProject'],
  AddCloudDVaults: ['AddCloudDTenancy'],
  BulkExportKeys: ['ExportKey'],
  CloneKey: ['ReadKey', 'CreateKey'],
  CreateDKEEndpoint: ['ReadKey'],
  CreateEKMEndpoint: ['ReadKey'],
  CreateKACLSEndpoint: ['ReadKey'],
  CreateVirtualKey: ['ReadKey'],
  DeleteCloudAKMS: ['DeleteCloudAKey', 'DeleteCloudAPolicyTemplate'],
  DeleteCloudDVault: ['DeleteCloudDKey'],
  DeleteCrmOrganization: ['DeleteCrmCertificate', 'DeleteCrmTenantSecretBackup'],
  DeleteDatacustGroup: ['DeleteDatacustKey', 'DeleteDatacustKeyBackup', 'DeleteDatacustDynamicReference'],
  DeleteDatacustKey: ['DeleteDatacustKeyBackup'],
  DisableCloudBVaultRotationJob: ['DisableCloudBKeyRotationJob'],
  EnableCloudBVaultRotationJob: ['EnableCloudBKeyRotationJob'],
  ImportCloudBCertificate: ['ReadCertificate'],
  RemoveCloudBVault: ['DeleteCloudBKey', 'RemoveCloudBSecret', 'RemoveCloudBCertificate'],
  RemoveCloudCKeyRing: ['DeleteCloudCKey'],
  RenewClient: ['RevokeCertificate'],
  RenewOwnCertificate: ['RevokeCertificate'],
  RevokeClient: ['RevokeCertificate'],
  RotateDKEEndpoint: ['RotateKey'],
  RotateEKMEndpoint: ['RotateKey'],
  RotateKACLSEndpoint: ['RotateKey'],
  UpdateCloudAKMS: ['DeleteCloudAKey'],
  UpdateVirtualKey: ['ReadKey'],
}

/** Operations whose members the single calls of work rows decide, both at the request and during the work. */
export const DECIDED_BY_ROWS: readonly string[] = [
  'CreateCloudABulkJob',
  'CreateCloudBBulkJob',
  'CreateDatacustKeyJob',
  'CreateJobConfig',
  'RunJobConfigNow',
  'StartSynchronization',
  'UpdateAllCloudCKeyVersions',
  'UpdateJobConfig',
]
