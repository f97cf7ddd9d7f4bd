import { expect } from 'vitest'
import type { Answered } from './service.ts'

/** Status, code and pointers of a refusal. @returns its body */
export async function refused(
  answered: Promise<Answered>,
  status: number,
  code: number,
  fields: string[],
): Promise<any> {
  const { body, ...rest } = await answered
  expect([rest.status, body.code], JSON.stringify(body)).toEqual([status, code])
  const named = (body.errors ?? []) as { pointer?: string; parameter?: string }[]
  expect(named.map(({ pointer, parameter }) => pointer ?? parameter)).toEqual(fields)
  return body
}
