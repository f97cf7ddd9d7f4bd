/**
 * The only module that reads the environment. Without a schema library, because functions of the data plane use it too.
 * SDK clients read `AWS_*` themselves.
 */

/** The variable unchanged, even if empty. */
export const setting = (name: string): string | undefined => process.env[name]

/**
 * @throws Error, a fault, for a variable that is missing or too short: an error of the deployment, which no caller can
 * cause
 */
export function needed(name: string, minLength = 1): string {
  const value = setting(name)
  if (value === undefined || value.length < minLength) throw new Error(`The variable ${name} is not set`)
  return value
}

/** @throws Error, a fault, for a variable that is set but too short */
const optional = (name: string, minLength = 1): string | undefined =>
  setting(name) === undefined ? undefined : needed(name, minLength)

/** @throws TypeError, a fault, for a variable that is not an address */
function neededUrl(name: string): string {
  const value = needed(name)
  new URL(value)
  return value
}

/** A rate that the deployment may set. @throws Error, a fault, for a value that is no positive number */
export function rateSetting(name: string, usual: number): number {
  const rate = Number(setting(name) ?? usual)
  if (!(rate > 0)) throw new Error(`${name} must be a positive number`)
  return rate
}

/** The variables of functions with the SDK. */
const read = () => ({
  KEYMGR_TABLE: needed('KEYMGR_TABLE', 3),
  KEYMGR_ROOT_KEY: needed('KEYMGR_ROOT_KEY'),
  KEYMGR_BUS: optional('KEYMGR_BUS') ?? 'default',
  KEYMGR_BASE_URL: neededUrl('KEYMGR_BASE_URL'),
  /** addresses of the flows; only functions that start flows have them */
  KEYMGR_FLOW_SYNCHRONIZE: optional('KEYMGR_FLOW_SYNCHRONIZE'),
  KEYMGR_FLOW_RUN_JOB: optional('KEYMGR_FLOW_RUN_JOB'),
  KEYMGR_FLOW_BUILD_REPORT: optional('KEYMGR_FLOW_BUILD_REPORT'),
  KEYMGR_FLOW_EXPORT_AUDIT_LOG: optional('KEYMGR_FLOW_EXPORT_AUDIT_LOG'),
  /**
   * group and role of the schedules, and the dead-letter queue of their starts; only functions that manage schedules
   * have them
   */
  KEYMGR_SCHEDULE_GROUP: optional('KEYMGR_SCHEDULE_GROUP'),
  KEYMGR_SCHEDULE_ROLE: optional('KEYMGR_SCHEDULE_ROLE'),
  KEYMGR_SCHEDULE_DEAD_LETTERS: optional('KEYMGR_SCHEDULE_DEAD_LETTERS'),
  /** bucket for texts too long for a response; only functions that store or serve objects have it */
  KEYMGR_BUCKET: optional('KEYMGR_BUCKET', 3),
  /**
   * host name with mutual TLS, and the object with the authorities that it accepts; only the function that manages its
   * trust store has them
   */
  KEYMGR_MTLS_DOMAIN: optional('KEYMGR_MTLS_DOMAIN'),
  KEYMGR_MTLS_ROOTS: optional('KEYMGR_MTLS_ROOTS'),
})

type Environment = Readonly<ReturnType<typeof read>>
let environmentRead: Environment | undefined

/** Read once, at the first call. @throws Error, a fault, if a variable is missing or wrong */
export function environment(): Environment {
  environmentRead ??= read()
  return environmentRead
}
