/**
 * Calls in ten seconds that one vault may take, of the operations a rotation is held up by: the cloud's own page of
 * limits.
 */
const IN_TEN_SECONDS = {
  /** makes a key in hardware */
  createHsmKey: 10,
  /** makes or takes a key in software, takes one into hardware */
  createSoftwareKey: 20,
} as const

/** All other calls, together. */
const OTHERS_IN_TEN_SECONDS = 2_000

const secondsOf = (call: keyof typeof IN_TEN_SECONDS): number => 10 / IN_TEN_SECONDS[call]

/** Seconds of a vault's time that a backup takes, at the least: with the list of its versions before it. */
export const BACKUP_SECONDS = (2 * 10) / OTHERS_IN_TEN_SECONDS

/** Seconds of a vault's time that each kind of rotation takes, at the least. */
export const ROTATION_SECONDS = {
  /** a version that the cloud makes */
  native: { hsm: secondsOf('createHsmKey'), software: secondsOf('createSoftwareKey') },
  /** a version with material of ours */
  local: { hsm: secondsOf('createHsmKey'), software: secondsOf('createSoftwareKey') },
} as const
