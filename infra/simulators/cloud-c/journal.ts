import type { Journal } from '../toolkit/journal.ts'
import { openThingJournal, type ThingLine } from '../toolkit/thing-journal.ts'

export type Line = ThingLine<'ring' | 'key' | 'job' | 'account' | 'entry' | 'retired'>

export const openJournal = (file: string | undefined, take: (line: Line) => void): Journal<Line> =>
  openThingJournal(file, 'entry', take)
