import { costOf, type Quota } from '../../../work/schedule/job-operations/cost.ts'

const perSecond = (name: string, calls: number): Quota => ({ name, calls, inSeconds: 1 })

/**
 * Calls that one region of an account may make, for the operations that limit rotations. Source: the cloud's page of
 * request quotas; where regions differ, the lowest.
 */
const QUOTAS = {
  CreateKey: perSecond('CreateKey', 5),
  GetParametersForImport: { name: 'GetParametersForImport', calls: 15, inSeconds: 60 },
  ImportKeyMaterial: perSecond('ImportKeyMaterial', 15),
  RotateKeyOnDemand: perSecond('RotateKeyOnDemand', 5),
  UpdateAlias: perSecond('UpdateAlias', 5),
  UpdateCustomKeyStore: perSecond('UpdateCustomKeyStore', 5),
}

/** The least that each kind of rotation takes of a region's quotas. */
export const ROTATION_COSTS = {
  /** a new key, with material imported by keymgr, gets the names */
  replaced: costOf(QUOTAS, { CreateKey: 1, GetParametersForImport: 1, ImportKeyMaterial: 1, UpdateAlias: 1 }),
  /** other material is imported into the same key */
  imported: costOf(QUOTAS, { GetParametersForImport: 1, ImportKeyMaterial: 1, RotateKeyOnDemand: 1 }),
  /** the cloud generates other material itself */
  native: costOf(QUOTAS, { RotateKeyOnDemand: 1 }),
  /** the cloud gets a new credential */
  credential: costOf(QUOTAS, { UpdateCustomKeyStore: 1 }),
} as const
