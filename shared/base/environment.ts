import * as z from 'zod'

/** What a function is told by its deployment. Parsed once, when first asked for; SDK clients read `AWS_*` themselves. */
const Environment = z.object({
  KEYMGR_TABLE: z.string().min(3),
  KEYMGR_ROOT_KEY: z.string().min(1),
  KEYMGR_BUS: z.string().min(1).default('default'),
  KEYMGR_BASE_URL: z.url(),
  /** addresses of the flows; only functions that start flows are told */
  KEYMGR_FLOW_SYNCHRONIZE: z.string().min(1).optional(),
  KEYMGR_FLOW_RUN_JOB: z.string().min(1).optional(),
  KEYMGR_FLOW_BUILD_REPORT: z.string().min(1).optional(),
  /** group and role of the schedules, and where their lost starts go; only functions that keep schedules are told */
  KEYMGR_SCHEDULE_GROUP: z.string().min(1).optional(),
  KEYMGR_SCHEDULE_ROLE: z.string().min(1).optional(),
  KEYMGR_SCHEDULE_DEAD_LETTERS: z.string().min(1).optional(),
  /** bucket of texts too long to be answered; only functions that keep or hand out objects are told */
  KEYMGR_BUCKET: z.string().min(3).optional(),
})

let parsed: z.infer<typeof Environment> | undefined

/** @throws ZodError, a fault, if a variable is missing: the deployment is wrong, no caller can cause it */
export function environment(): z.infer<typeof Environment> {
  parsed ??= Environment.parse(process.env)
  return parsed
}
