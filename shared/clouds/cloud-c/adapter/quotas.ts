/** Writes a minute that one project may make of its keys: the cloud's own page of quotas, of which all rings share one. */
const WRITES_A_MINUTE = 60

const secondsOf = (writes: number): number => (writes * 60) / WRITES_A_MINUTE

/** Seconds of a project's time that each kind of rotation takes, at the least. */
export const ROTATION_SECONDS = {
  /** a version, made the primary */
  native: secondsOf(2),
  /** an import job, which others of the day may share, an import, made the primary */
  local: secondsOf(3),
} as const
