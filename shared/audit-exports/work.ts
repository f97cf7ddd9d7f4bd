import { carried } from '../work/sweeps.ts'
import { partTrigger } from '../work/engine/part-trigger.ts'
import { EXPORT } from './export.ts'

export const EXPORT_SWEEPS = carried('export', EXPORT)
export const EXPORT_TRIGGERS = [partTrigger('export-audit-log', 'job', EXPORT)]
