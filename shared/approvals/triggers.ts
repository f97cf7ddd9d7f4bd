import * as z from 'zod'
import { ROOT_DOMAIN_NAME } from '../base/ids.ts'
import { object } from '../base/lazy-fields.ts'
import { trigger, type AnyTrigger } from '../base/trigger.ts'
import { removeRule } from './rules.ts'

export const APPROVAL_TRIGGERS: readonly AnyTrigger[] = [
  trigger({
    name: 'delete-approval-rule',
    event: object(() => ({ domain: z.string().default(ROOT_DOMAIN_NAME), rule: z.string() })),
    run: (names, { now }) => removeRule(now, names),
  }),
]
