import * as z from 'zod'
import { jsonOf } from '../../../base/json.ts'
import { object } from '../../../base/lazy-fields.ts'
import { onLogs } from './client.ts'
import type { CloudAActivity, CloudAOwn } from './types.ts'

const OF_KEYS = '{ $.eventSource = "kms.amazonaws.com" }'
/** Name of keymgr's client in every call (`userAgentAppId`). */
const OURS = 'app/keymgr'
const KEY_ARN = /^arn:[^:]+:kms:[^:]+:[^:]+:key\/(.+)$/

/** The fields of a trail's record that are used. Other entries of the log do not match. */
const TrailRecord = object(() => ({
  eventID: z.string(),
  eventTime: z.iso.datetime(),
  eventName: z.string(),
  awsRegion: z.string(),
  recipientAccountId: z.string().optional(),
  userAgent: z.string().optional(),
  errorCode: z.string().optional(),
  userIdentity: z
    .object({ arn: z.string(), userName: z.string(), invokedBy: z.string(), accountId: z.string() })
    .partial()
    .optional(),
  requestParameters: z.looseObject({ keyId: z.string().optional() }).nullish(),
  resources: z.array(z.looseObject({ ARN: z.string().optional() })).nullish(),
}))

/** `undefined` for a line that is not a trail's record: the log group may contain others. */
const parsed = (message: string | undefined): z.infer<typeof TrailRecord> | undefined =>
  TrailRecord.safeParse(jsonOf(message ?? '')).data

/** The id of the key that a record concerns; `undefined` for calls without a key, such as a list. */
function keyOf({ resources, requestParameters }: z.infer<typeof TrailRecord>): string | undefined {
  const arns = [...(resources ?? []).map(({ ARN }) => ARN), requestParameters?.keyId]
  const named = arns.map((arn) => KEY_ARN.exec(arn ?? '')?.[1]).find((id) => id !== undefined)
  const given = requestParameters?.keyId
  return named ?? (given === undefined || /^(arn:|alias\/)/.test(given) ? undefined : given)
}

/**
 * One page of the activity on the keys of a place, from the log group that its trail writes to. A trail may contain
 * several regions and accounts: others are omitted. So a page may be empty although more follow.
 */
export const activity: CloudAOwn['activity'] = async (place, { logGroup, from, to, limit, cursor }) => {
  const { FilterLogEventsCommand } = await import('@aws-sdk/client-cloudwatch-logs')
  const command = new FilterLogEventsCommand({
    logGroupName: logGroup,
    filterPattern: OF_KEYS,
    startTime: from.getTime(),
    endTime: to.getTime() - 1, // the service includes the end time
    limit,
    nextToken: cursor,
  })
  const { events = [], nextToken } = await onLogs(place, (logs, options) => logs.send(command, options))
  const entries = events.flatMap(({ message }): CloudAActivity[] => {
    const record = parsed(message)
    if (record?.awsRegion !== place.region || (record.recipientAccountId ?? place.account) !== place.account) return []
    const ref = keyOf(record)
    if (ref === undefined) return []
    const { arn, userName, invokedBy } = record.userIdentity ?? {}
    return [
      {
        id: record.eventID,
        ref,
        activity: record.eventName,
        at: record.eventTime,
        user: arn ?? userName ?? invokedBy ?? '',
        isOurs: record.userAgent?.includes(OURS) === true,
        error: record.errorCode,
      },
    ]
  })
  return { entries, next: nextToken }
}
