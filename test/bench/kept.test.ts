import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
import { keepRun, movesBetween, readRun, runOf } from '../../bench/kept.ts'

const figure = (name: string, [low, median, high]: [number, number, number], promise?: Figure['promise']): Figure => ({
  name,
  measured: { low, median, high },
  ...(promise && { promise }),
  note: 'a note',
})
const namesOf = (moves: ReturnType<typeof movesBetween>): string[] =>
  moves.map(({ move, before, after }) => `${(after ?? before)?.name} ${move}`)

test('a kept run is read as it was measured, with machine, date and commit', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'figures-')), 'figures')
  const run = runOf([
    figure('page', [1, 1.1, 1.2], { atMost: 1.5 }),
    figure('nothing measured', [Number.NaN, Number.NaN, Number.NaN], { atLeast: 1 }),
  ])
  await keepRun(path, run, [
    ['figure', 'ratio'],
    ['page | first', '1.1'],
  ])
  expect(await readRun(`${path}.json`)).toEqual(run)
  expect(run.commit).toMatch(/^[0-9a-f]{7,}\+?$/)
  expect(run.machine).toContain(`Node ${process.version}`)
  const table = await readFile(`${path}.md`, 'utf8')
  expect(table).toContain(`Commit ${run.commit}`)
  expect(table).toContain('page \\| first')
})

test('a file that is no kept run is refused', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'figures-')), 'other.json')
  await writeFile(path, '{"figures":[{"name":"page"}]}')
  await expect(readRun(path)).rejects.toThrow('measured')
})

test('a figure moved where its interval left the earlier one, to the better or the worse by its promise', () => {
  const before = [
    figure('time', [1, 1.1, 1.2], { atMost: 1.5 }),
    figure('share', [0.5, 0.55, 0.6], { atLeast: 0.5 }),
    figure('rows', [3, 3, 3], { exactly: 3 }),
    figure('within', [1, 1.1, 1.2], { atMost: 1.5 }),
    figure('dropped', [1, 1, 1]),
  ]
  const after = [
    figure('time', [1.3, 1.4, 1.5], { atMost: 1.5 }),
    figure('share', [0.7, 0.75, 0.8], { atLeast: 0.5 }),
    figure('rows', [2, 2, 2], { exactly: 3 }),
    figure('within', [1.15, 1.3, 1.4], { atMost: 1.5 }),
    figure('added', [1, 1, 1]),
  ]
  expect(namesOf(movesBetween(before, after))).toEqual([
    'time worse',
    'share better',
    'rows lower',
    'added new',
    'dropped gone',
  ])
  expect(namesOf(movesBetween(after, before))).toContain('time better')
  expect(movesBetween(before, before)).toEqual([])
})
