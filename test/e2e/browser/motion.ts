/* eslint-disable @n8n/community-nodes/no-restricted-imports, import-x/no-unresolved -- not shipped: runs on Node */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

/** The color schemes, of which each has a file. */
const SCHEMES = ['light', 'dark'] as const;

/** 0 to 100. Texts of 13 pixels stay sharp, and a frame takes about 10 kB. */
const QUALITY = 82;

/** Milliseconds between the pointer at its place and the click, and after a click. */
const POINTED = 350;
const CLICKED = 700;

/** Draws the pointer, which a screenshot lacks, where the mouse is. */
function drawPointer(): void {
  const pointer = document.createElement('div');
  pointer.innerHTML =
    '<svg width="22" height="28" viewBox="0 0 22 28"><path d="M2 2 L2 22 L7.5 17 L11.5 25.5 L15 24 L11 15.5 L19 15.5 Z" fill="#111" stroke="#fff" stroke-width="1.6"/></svg>';
  pointer.style.cssText = 'position:fixed;z-index:2147483647;pointer-events:none;left:-50px;top:-50px';
  const place = ({ clientX, clientY }: MouseEvent) => {
    pointer.style.left = `${clientX - 2}px`;
    pointer.style.top = `${clientY - 2}px`;
  };
  window.addEventListener('mousemove', place, { capture: true });
  document.body.append(pointer);
}

/** Records what a page shows, step by step, as an animated picture: the speed of the machine does not show. */
export class Motion {
  private readonly frames: Record<(typeof SCHEMES)[number], Buffer[]> = { light: [], dark: [] };
  private readonly delays: number[] = [];

  private constructor(private readonly page: Page) {}

  /** Call it when the page is loaded. */
  static async start(page: Page): Promise<Motion> {
    await page.evaluate(drawPointer);
    return new Motion(page);
  }

  /** Adds a frame that is shown for so many milliseconds. */
  async show(milliseconds: number): Promise<void> {
    for (const colorScheme of SCHEMES) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Until then n8n has drawn the other scheme.
      await this.page.waitForTimeout(250);
      this.frames[colorScheme].push(await this.page.screenshot({ animations: 'disabled' }));
    }
    this.delays.push(milliseconds);
  }

  /** Points at an element, then clicks it. `settled` waits for what the click opens. */
  async click(target: Locator, settled?: Locator): Promise<void> {
    await target.hover();
    await this.show(POINTED);
    await target.click();
    await settled?.first().waitFor();
    await this.show(CLICKED);
  }

  /** Types a text in parts, each of which is a frame. */
  async type(parts: string[], settled?: Locator): Promise<void> {
    for (const part of parts) {
      await this.page.keyboard.type(part);
      if (part === parts.at(-1)) await settled?.first().waitFor();
      await this.show(180);
    }
  }

  /** Saves `<name>-light.webp` and `<name>-dark.webp`. */
  async save(folder: string, name: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    for (const scheme of SCHEMES) {
      await sharp(this.frames[scheme], { join: { animated: true } })
        .webp({ quality: QUALITY, delay: this.delays, loop: 0, effort: 6, minSize: true })
        .toFile(join(folder, `${name}-${scheme}.webp`));
    }
  }
}
