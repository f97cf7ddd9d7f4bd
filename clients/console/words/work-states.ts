import type { Tone } from './states.tsx'

/** Words and tones of all kinds of states of work. */
const STATES: Readonly<Record<string, { readonly title: string; readonly tone: Tone }>> = {
  scheduled: { title: 'Scheduled', tone: 'waiting' },
  in_progress: { title: 'In progress', tone: 'waiting' },
  completed: { title: 'Completed', tone: 'good' },
  failed: { title: 'Failed', tone: 'bad' },
  aborted: { title: 'Cancelled', tone: 'quiet' },
  skipped: { title: 'Skipped', tone: 'quiet' },
}

export const workState = (state: string): { readonly title: string; readonly tone: Tone } =>
  STATES[state] ?? { title: state, tone: 'quiet' }

export const isUnderWay = (state: string): boolean => state === 'in_progress' || state === 'scheduled'

/** `1 h 2 min`, `3 min 5 s`, `12 s`. */
export const lasting = (from: string, to: string): string => durationOf((Date.parse(to) - Date.parse(from)) / 1_000)

/** ` · about 3 min 5 s left`; nothing when the end is not known or has passed. */
export function leftUntil(end: string | undefined): string {
  const ms = end === undefined ? 0 : Date.parse(end) - Date.now()
  return ms > 0 ? ` · about ${durationOf(ms / 1_000)} left` : ''
}

/** `1 h 2 min`, `3 min 5 s`, `12 s`. */
export function durationOf(exactSeconds: number): string {
  const seconds = Math.max(0, Math.round(exactSeconds))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
