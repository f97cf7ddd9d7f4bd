/**
 * Calls a second that one region of an account may make, of the operations a rotation is held up by. The cloud's own
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

/** How long a piece of work keeps a region busy that makes each of these calls once: as long as the slowest takes. */
const secondsOf = (...calls: readonly Call[]): number => Math.max(...calls.map((call) => 1 / CALLS_A_SECOND[call]))

/** Seconds of a region's time that each kind of rotation takes, at the least. */
export const ROTATION_SECONDS = {
  /** a new key, filled with material of ours, takes the names over */
  replaced: secondsOf('CreateKey', 'GetParametersForImport', 'ImportKeyMaterial', 'UpdateAlias'),
  /** other material is imported into the same key */
  imported: secondsOf('GetParametersForImport', 'ImportKeyMaterial', 'RotateKeyOnDemand'),
  /** the cloud makes other material itself */
  native: secondsOf('RotateKeyOnDemand'),
  /** the cloud is told a new credential */
  credential: secondsOf('UpdateCustomKeyStore'),
} as const
