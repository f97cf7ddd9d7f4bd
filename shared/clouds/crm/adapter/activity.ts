import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { timeRead } from '../../../cloud/adapter/dates.ts'
import { calling, everyRow } from './client.ts'
import { codeOf, failureIn, failures } from './errors.ts'
import type { Crm, CrmActivity } from './types.ts'
import { LOG_FILES, LogFile } from './wire.ts'

const LICENCE =
  'Activity needs the Event Monitoring licence of the cloud, and the permission View Event Log Files for the user of the connection.'

/** Files of the days of the span: a file has the events of its day. */
export const logFiles: Crm['logFiles'] = async (entry, from, to) => {
  try {
    const all = await everyRow(entry, LOG_FILES, LogFile)
    const day = (at: Date): string => at.toISOString().slice(0, 10)
    return all
      .map((file) => ({ ...file, on: (timeRead(file.LogDate) ?? '').slice(0, 10) }))
      .filter(({ on }) => on >= day(from) && on <= day(to))
      .sort((a, b) => (a.on < b.on ? -1 : 1))
      .map(({ LogFile: path }) => path)
  } catch (error) {
    if (codeOf(error) !== 'INVALID_TYPE') throw error
    throw new Refusal('CLOUD_DENIED', LICENCE, { cause: error })
  }
}

/** The fields of a line. @see RFC 4180 §2 */
function fieldsOf(line: string): string[] {
  const fields: string[] = []
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g))
    fields.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
  return fields
}

/** Columns of the cloud's file with the id of the key. The first contains all 18 characters. */
const REFS = ['KEY_ID_DERIVED', 'KEY_ID'] as const

function activitiesIn(file: string, text: string): CrmActivity[] {
  const [head = '', ...lines] = text.split(/\r?\n/)
  const names = fieldsOf(head)
  return lines
    .filter((line) => line !== '')
    .map((line, at) => {
      const fields = new Map(fieldsOf(line).map((value, column) => [names[column] ?? '', value]))
      const given = (name: string): string => fields.get(name) ?? ''
      return {
        id: `${file} ${at}`,
        time: timeRead(given('TIMESTAMP_DERIVED')) ?? '',
        activity: given('ACTION'),
        ref: REFS.map(given).find((id) => id.startsWith('02G')) ?? '',
        user: given('USER_NAME') || given('USER_ID_DERIVED') || given('USER_ID'),
      }
    })
    .filter(({ time }) => time !== '')
}

const Path = z.string().regex(/^\/services\/data\/v\d+\.0\/sobjects\/EventLogFile\/\w{15,18}\/LogFile$/)

/** A token is sent to the path, so only to one of the API. */
export const activity: Crm['activity'] = async (entry, path) =>
  calling(
    entry,
    { method: 'GET', path: failures.formed(Path, path), headers: { accept: 'text/csv' } },
    ({ status, text }) => {
      if (status === 200) return activitiesIn(path, text)
      throw failureIn(undefined, status, undefined)
    },
  )
