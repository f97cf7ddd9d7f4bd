/**
 * Calls that one vault accepts in ten seconds, for the operations that limit rotations. Source: the cloud's page of
 * limits.
 */
const IN_TEN_SECONDS = {
  /** creates a key in hardware */
  createHsmKey: 10,
  /** creates or imports a key in software, imports one into hardware */
  createSoftwareKey: 20,
} as const

/** All other calls together. */
const OTHERS_IN_TEN_SECONDS = 2_000

const secondsOf = (call: keyof typeof IN_TEN_SECONDS): number => 10 / IN_TEN_SECONDS[call]

/** Minimum of a vault's time that a backup takes, in seconds, including the list of versions before it. */
export const BACKUP_SECONDS = (2 * 10) / OTHERS_IN_TEN_SECONDS

/** Minimum of a vault's time that each kind of rotation takes, in seconds. */
export const ROTATION_SECONDS = {
  /** a version whose material the cloud generates */
  native: { hsm: secondsOf('createHsmKey'), software: secondsOf('createSoftwareKey') },
  /** a version with material of keymgr */
  local: { hsm: secondsOf('createHsmKey'), software: secondsOf('createSoftwareKey') },
} as const
