import * as z from 'zod'
import { extended, object, strictObject } from '../base/lazy-fields.ts'
import { column, Time } from '../http/common-fields.ts'
import { anyPatterns, anyTexts, listQuery, oneOf, time } from '../http/lists/list-query.ts'

export const PERIODS = ['hour', 'day', 'month'] as const
export const PARTS = ['caller', 'hour', 'day', 'month'] as const

const Level = object(() => ({
  calls: z.int(),
  refused: z.int().meta({ description: 'refusals for a reason of the caller (4xx), in time' }),
  errors: z.int().meta({ description: 'faults of the service' }),
  late: z.int().meta({ description: 'other answers after the time limit' }),
  p50_ms: z.number().optional().meta({ description: 'of calls that were not refused; at most 19 % too high' }),
  p99_ms: z.number().optional().meta({ description: 'of calls that were not refused; at most 19 % too high' }),
  budget_left: z.number().meta({
    description: 'share of the errors and late answers that the objective allows; below 0 if there were more',
  }),
}))

/** Calls, faults and durations of an endpoint in a period. */
export const ServiceLevel = extended(Level, () => ({
  id: z.string().meta({ description: 'of the endpoint' }),
  uri: z.string().meta({ description: 'of the endpoint' }),
  name: z.string().meta(column('name')),
  protocol: z.string(),
  from: Time,
  to: Time,
  time_limit_ms: z.int().meta({ description: "time that the protocol's callers wait for an answer" }),
  objective: z.number().meta({ description: 'share of calls, refusals aside, to answer in time and without a fault' }),
}))
export type ServiceLevel = z.infer<typeof ServiceLevel>

/** A part of the calls of an endpoint. */
export const ServiceLevelPart = extended(Level, () => ({
  caller: z.string().optional().meta({ description: 'its name in audit records; empty for an unknown caller' }),
  from: Time.optional().meta({ description: 'begin of the hour, day or month' }),
}))
export type ServiceLevelPart = z.infer<typeof ServiceLevelPart>

export const ServiceLevelQuery = listQuery(ServiceLevel, () => ({
  ...anyPatterns('name'),
  ...anyTexts('protocol'),
  over: oneOf(PERIODS).default('day'),
}))
export type ServiceLevelQuery = z.infer<typeof ServiceLevelQuery>

const between = () => ({ from: time().optional(), to: time().optional() })

export const ServiceLevelPeriod = strictObject(between)
export type ServiceLevelPeriod = z.infer<typeof ServiceLevelPeriod>

export const ServiceLevelPartQuery = listQuery(ServiceLevelPart, () => ({
  by: oneOf(PARTS).default('caller'),
  ...between(),
}))
export type ServiceLevelPartQuery = z.infer<typeof ServiceLevelPartQuery>
