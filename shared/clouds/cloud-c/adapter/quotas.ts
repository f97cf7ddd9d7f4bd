/**
 * Writes per minute that one project may make to keys; all of its rings share this quota. Source: the cloud's page of
 * quotas.
 */
const WRITES_A_MINUTE = 60

const secondsOf = (writes: number): number => (writes * 60) / WRITES_A_MINUTE

/** Minimum of a project's time that each kind of rotation takes, in seconds. */
export const ROTATION_SECONDS = {
  /** creates a version and makes it the primary */
  native: secondsOf(2),
  /** creates an import job, which other imports of the day may share, imports, and sets the primary */
  local: secondsOf(3),
} as const
