/**
 * Calls per second that one region of an account may make, for the operations that limit rotations. Source: the cloud's
 * page of request quotas; where regions differ, the lowest.
 */
const CALLS_A_SECOND = {
  CreateKey: 5,
  GetParametersForImport: 0.25,
  ImportKeyMaterial: 15,
  RotateKeyOnDemand: 5,
  UpdateAlias: 5,
  UpdateCustomKeyStore: 5,
} as const

type Call = keyof typeof CALLS_A_SECOND

/** Seconds of a region's time for one of each of these calls: the call with the lowest quota decides. */
const secondsOf = (...calls: readonly Call[]): number => Math.max(...calls.map((call) => 1 / CALLS_A_SECOND[call]))

/** Minimum of a region's time that each kind of rotation occupies, in seconds. */
export const ROTATION_SECONDS = {
  /** a new key, with material imported by keymgr, gets the names */
  replaced: secondsOf('CreateKey', 'GetParametersForImport', 'ImportKeyMaterial', 'UpdateAlias'),
  /** other material is imported into the same key */
  imported: secondsOf('GetParametersForImport', 'ImportKeyMaterial', 'RotateKeyOnDemand'),
  /** the cloud generates other material itself */
  native: secondsOf('RotateKeyOnDemand'),
  /** the cloud gets a new credential */
  credential: secondsOf('UpdateCustomKeyStore'),
} as const
