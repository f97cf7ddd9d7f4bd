import type { Journal } from '../../toolkit/journal.ts'
import { openThingJournal, type ThingLine } from '../../toolkit/thing-journal.ts'

export type Line = ThingLine<'vault' | 'key' | 'object' | 'user' | 'event'>

export const openJournal = (file: string | undefined, take: (line: Line) => void): Journal<Line> =>
  openThingJournal(file, 'event', take)
