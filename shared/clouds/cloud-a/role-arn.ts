import * as z from 'zod'

/** The role that a connection assumes after its own identity. */
export const RoleArn = z
  .string()
  .regex(/^arn:[a-z-]{3,16}:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, { error: 'must be the ARN of a role' })
