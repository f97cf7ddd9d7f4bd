import { measureRefresh } from '../synchronize.ts'
import type { Figure } from '../figure.ts'
import { benchedCrm } from './cloud.ts'

export const measure = (): Promise<Figure[]> => measureRefresh(benchedCrm, 0.6)
